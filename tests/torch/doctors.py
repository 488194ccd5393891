"""Asks the doctor about many functions of a step file, in children of one interpreter that has torch:

    doctors.py FOLDER FILE FUNCTION...      prints {function: [exit code, stdout, stderr]}

FOLDER holds graphbench.py, whose main() is what `graphbench doctor --device host` runs."""

import gc
import json
import os
import sys
import tempfile


def answer(main, *words):
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        if (child := os.fork()) == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            try:
                main(*words)
            finally:  # main() leaves by sys.exit() where it refuses
                sys.stderr.flush()
                os._exit(getattr(sys.exc_info()[1], "code", 99))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [file.seek(0) or file.read() for file in (out, err)]
    return [code, *texts]


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import torch
    import graphbench
    import graphbench_state

    gc.freeze()  # hundreds of thousands of torch's own objects, which each child would look through
    graphbench_state.collected = gc.get_objects
    torch.set_num_threads(1)  # OpenMP's others would not live in a child
    print(json.dumps({each: answer(graphbench.main, "--doctor", "", sys.argv[2], each, "1", "host", "")
                      for each in sys.argv[3:]}))
