#!/usr/bin/env python3
"""GET /v1/operators: the whole registry page by page, filters, one operator, and entity tags."""
from harness import Daemon, check, equal, finish, run


def pages(daemon, query, size):
    """Every operator, page by page, and the number of pages."""
    found, token, count = [], "", 0
    while count < 1000:
        answer = daemon.get("/v1/operators?pageSize=%d&pageToken=%s%s" % (size, token, query)).json
        found += answer["operators"]
        count += 1
        token = answer.get("nextPageToken", "")
        if not token:
            break
    return found, count


def key(operator):
    return operator["domain"], operator["name"]


def refused(what, answer, status=400, code="invalid_argument"):
    check("%s: %d %s" % (what, status, code), answer.status == status and answer.json["code"] == code, answer.text[:200])


def check_listing(daemon):
    everything, count = pages(daemon, "", 1000)
    check("there are operators", len(everything) > 150, len(everything))
    equal("each stands once", len({key(o) for o in everything}), len(everything))
    equal("in order", [key(o) for o in everything], sorted(key(o) for o in everything))
    for size in (1, 7, 100):
        found, count = pages(daemon, "", size)
        check("in pages of %d" % size, found == everything and count >= len(everything) // size, (len(found), count))
    equal("100 a page unless told otherwise", len(daemon.get("/v1/operators").json["operators"]), 100)
    for domain in sorted({o["domain"] for o in everything}):
        found, _ = pages(daemon, "&domain=" + domain, 1000)
        equal("domain=%s" % domain, found, [o for o in everything if o["domain"] == domain])
    equal("ai.onnx is the domain without a name", pages(daemon, "&domain=ai.onnx", 1000), pages(daemon, "&domain=", 1000))
    equal("domain=nope", daemon.get("/v1/operators?domain=nope").json, {"operators": []})
    old, _ = pages(daemon, "&domain=&opset=9", 1000)
    check("opset=9: what there was, as it was", old and all(o["since"] <= 9 and o["since"] in o["versions"] for o in old))
    check("opset=9 has no GridSample", "GridSample" not in [o["name"] for o in old])
    for operator in everything:
        if not operator["description"].endswith("."):
            check("%s: a description" % operator["name"], False, operator["description"])
        if operator["versions"] != sorted(set(operator["versions"])) or operator["since"] != operator["versions"][-1]:
            check("%s: versions in order" % operator["name"], False, operator)


def check_one(daemon):
    relu = daemon.get("/v1/operators/Relu").json
    equal("Relu", (relu["domain"], relu["name"], relu["versions"], relu["since"]), ("", "Relu", [1, 6, 13, 14], 14))
    equal("Relu in 12", daemon.get("/v1/operators/Relu?opset=12").json["since"], 6)
    equal("Relu of ai.onnx", daemon.get("/v1/operators/Relu?domain=ai.onnx").json, relu)
    conv = daemon.get("/v1/operators/Conv?opset=17").json
    attributes = {a["name"]: a for a in conv["attributes"]}
    equal("an attribute with a default and a least value", attributes["group"],
          {"name": "group", "type": "int", "required": False, "default": 1, "minimum": 1})
    equal("the only values of an attribute, without old spellings", attributes["auto_pad"]["values"],
          ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    check("a description is a sentence", conv["description"].startswith("Convolves") and conv["description"][-1] == ".")
    described = {}
    for name in ("Cast", "TfIdfVectorizer", "GridSample", "RNN", "Upsample"):
        one = daemon.get("/v1/operators/%s?opset=9" % name if name == "Upsample" else "/v1/operators/" + name).json
        described[name] = {a["name"]: a for a in one["attributes"]}
    equal("an element type", described["Cast"]["to"].get("elementTypeOf"), "T2")
    equal("the length of a list", described["TfIdfVectorizer"]["ngram_indexes"].get("minLength"), 1)
    equal("values that are advised", described["GridSample"]["mode"].get("advisory"), True)
    equal("a range", [described["RNN"]["layout"].get(key) for key in ("minimum", "maximum")], [0, 1])
    equal("inputs", [i["option"] for i in conv["inputs"]], ["single", "single", "optional"])
    equal("how many", (conv["minInputs"], conv["maxInputs"]), (2, 3))
    check("types", "tensor(float)" in conv["typeConstraints"][0]["types"])
    check("a variadic input has no maximum", "maxInputs" not in daemon.get("/v1/operators/Concat").json)
    refused("an unknown operator", daemon.get("/v1/operators/Nope"), 404, "not_found")
    refused("an unknown domain", daemon.get("/v1/operators/Relu?domain=nope"), 404, "not_found")
    refused("before it was there", daemon.get("/v1/operators/GridSample?opset=9"), 404, "not_found")


def check_refused(daemon):
    for query in ("pageSize=0", "pageSize=1001", "pageSize=x", "pageSize=", "pageToken=x", "pageToken=-1",
                  "pageToken=99999999", "opset=0", "opset=x", "opset=", "opset=99999999999999999999", "nope=1"):
        refused("?" + query, daemon.get("/v1/operators?" + query))
    answer = daemon.get("/v1/operators?opset=3&domain=%00")
    check("a NUL in an option is called so", answer.status == 400 and "NUL" in answer.json["message"], answer.text)
    refused("pageSize of one", daemon.get("/v1/operators/Relu?pageSize=1"))


def check_tags(daemon):
    for path in ("/v1/operators", "/v1/operators?pageSize=2&domain=", "/v1/operators/Relu"):
        first = daemon.get(path)
        tag = first.headers["ETag"]
        check("%s has a tag" % path, tag and tag[0] == tag[-1] == '"', tag)
        for value in (tag, '"x", ' + tag, "W/" + tag, "*"):
            answer = daemon.get(path, If_None_Match=value)
            equal("If-None-Match: %s" % value, (answer.status, answer.body, answer.headers["ETag"]), (304, b"", tag))
            equal("with the length of the 200", answer.headers["Content-Length"], first.headers["Content-Length"])
        answer = daemon.get(path, If_None_Match='"other"')
        equal("another tag", (answer.status, answer.body), (200, first.body))
        equal("HEAD %s" % path, daemon.request("HEAD", path).headers["ETag"], tag)
    check("another answer has another tag",
          daemon.get("/v1/operators/Relu").headers["ETag"] != daemon.get("/v1/operators/Add").headers["ETag"])


def check_command(daemon):
    status, out, _ = run("operators")
    lines = out.decode().splitlines()[1:]
    equal("shaped operators lists as many", (status, len(lines)), (0, len(pages(daemon, "", 1000)[0])))
    status, out, _ = run("operators", "--domain", "ai.onnx.ml", "--opset=1")
    check("shaped operators --domain --opset", status == 0 and all(l.startswith("ai.onnx.ml ") for l in
                                                                  out.decode().splitlines()[1:]), out)
    equal("shaped operators --domain nope", run("operators", "--domain", "nope")[0], 1)
    status, out, _ = run("operators", "Conv", "--opset=11")
    text = out.decode()
    equal("shaped operators Conv", status, 0)
    for line in ("Conv of ai.onnx, version 11", "Convolves the input", "  1 11 22\n", "T, optional\n",
                 "int, at least 1, default 1\n",
                 'string, one of NOTSET, SAME_UPPER, SAME_LOWER, VALID, default "NOTSET"\n', "tensor(float16)"):
        check("it says %r" % line, line in text, text)
    status, out, err = run("operators", "Cnv")
    equal("shaped operators Cnv", (status, out, err), (1, b"", b"shaped: no operator 'Cnv'; did you mean Conv?\n"))
    equal("Einsum before it was there", run("operators", "Einsum", "--opset=9")[0], 1)
    equal("two names", run("operators", "Conv", "Relu")[0], 2)


def main():
    with Daemon() as daemon:
        check_listing(daemon)
        check_one(daemon)
        check_refused(daemon)
        check_tags(daemon)
        check_command(daemon)
    finish()


if __name__ == "__main__":
    main()
