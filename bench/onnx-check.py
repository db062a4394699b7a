# onnx-check.py <files>: checks ONNX files with onnx.checker, which infers the shape and type of every result and compares those of outputs with
# what the file says. Prints one JSON object: { version, files: [{ error, nodes, outputs }] }.
import json
import sys

import onnx


def shown(value):
    tensor = value.type.tensor_type
    lengths = ", ".join(str(dim.dim_param or dim.dim_value) for dim in tensor.shape.dim)
    return f"{value.name} {onnx.TensorProto.DataType.Name(tensor.elem_type).lower()}[{lengths}]"


def check(path):
    try:
        model = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        return {"error": None, "nodes": len(model.graph.node), "outputs": [shown(value) for value in model.graph.output]}
    except Exception as error:  # whatever is wrong is the answer
        return {"error": str(error), "nodes": 0, "outputs": []}


print(json.dumps({"version": onnx.__version__, "files": [check(path) for path in sys.argv[1:]]}))
