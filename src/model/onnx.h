/* Short names for protobuf-c's structs of ONNX's messages (proto/onnx.proto). */
#pragma once

#include "onnx.pb-c.h"

typedef Shaped__Onnx__V1__ModelProto OnnxModel;
typedef Shaped__Onnx__V1__GraphProto OnnxGraph;
typedef Shaped__Onnx__V1__NodeProto OnnxNode;
typedef Shaped__Onnx__V1__AttributeProto OnnxAttribute;
typedef Shaped__Onnx__V1__TensorProto OnnxTensor;
typedef Shaped__Onnx__V1__SparseTensorProto OnnxSparseTensor;
typedef Shaped__Onnx__V1__ValueInfoProto OnnxValueInfo;
typedef Shaped__Onnx__V1__TypeProto OnnxType;
typedef Shaped__Onnx__V1__TensorShapeProto OnnxShape;
typedef Shaped__Onnx__V1__TensorShapeProto__Dimension OnnxDim;
typedef Shaped__Onnx__V1__FunctionProto OnnxFunction;
typedef Shaped__Onnx__V1__OperatorSetIdProto OnnxOpsetId;
typedef Shaped__Onnx__V1__StringStringEntryProto OnnxStringEntry;
