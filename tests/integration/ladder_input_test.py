"""What graphbench ladder refuses: bad input, and options that would change nothing."""

from harness_case import ROOT, HarnessCase

LLAMA = ROOT / "ci" / "baselines" / "h200-torch-llama.json"
BASELINE = ROOT / "ci" / "baselines" / "h200.json"


class LadderInput(HarnessCase):
    def test_a_file_without_what_is_asked_for_is_refused(self):
        self.refuse_each((("--suggest=none.json", "none.json"),
                          (f"--suggest={__file__}", "ladder_input_test.py"),
                          (f"--suggest={LLAMA} --memory 1000", ("--memory", "does not say what graphs take")),
                          (f"--workload conv --suggest={LLAMA}", (LLAMA.name, "no conv", "--workload"))),
                         "ladder", "--device", "host", "--traffic", "uniform:1:4")

    def test_what_would_change_nothing_beside_a_file_of_measurements_is_refused(self):
        command = ["ladder", "--device", "host", "--workload", "mlp", "--traffic", "uniform:1:4",
                   f"--suggest={BASELINE}"]
        served = ["--mode piecewise", "--warmup 1", "--preset tiny", "--dtype fp32", "--set mlp.hidden=64",
                  "--exec own", "--arrivals 9", "--capture-order largest", "--mutated-inputs refuse",
                  "--launches 2", "--tune-sizes 1", "--split-ops linear", "--prometheus-textfile m.prom"]
        measured = ["--capture-sizes 1,2", "--mode best", "--no-rivals", "--capture-when lazy",
                    "--warmup-by capture"]
        self.refuse_each(((option, (option.split(" ", maxsplit=1)[0] + ": ", "would change nothing",
                                    "leave --suggest=FILE out, or give --verify")) for option in served),
                         *command)
        self.refuse_each(((option, (option.split(" ", maxsplit=1)[0] + ": ", "would change nothing",
                                    "this run measures: leave --suggest=FILE out")) for option in measured),
                         *command, "--verify")

    def test_bad_input_is_refused_in_a_line_that_names_it(self):
        self.write("back.csv", "time,size\n2,1\n1,1\n")
        self.write("late.csv", "time,size\n0,1\n2e6,1\n")
        for arguments, words in (
                *((f"{option} {value}", [option.split()[-1], f'"{value}"']) for option, value in (
                    ("--capture-sizes", "0"), ("--multiple-of", "0"), ("--engine-sizes", "x"),
                    ("--steps", "0"), ("--suggest --sizes-max", "0"), ("--suggest --startup", "-1"))),
                ("--pad down", ["--pad", "up, none"]),
                ("--beyond splt", ["--beyond", 'did you mean "split"?']),
                ("--capture-order first", ["--capture-order", "largest, smallest"]),
                ("--mode fast", ["--mode", '"fast"', "eager, whole, piecewise, best"]),
                ("--capture-when lazy,lazy", ["--capture-when", "gives a value twice"]),
                ("--capture-when never", ["--capture-when", "startup, lazy"]),
                *((f"--require-hits {wrong}", ["--require-hits", "a percentage"])
                  for wrong in ("95", "0%", "x%")),
                *((f"--arrivals {wrong}", ["--arrivals", "above 0"]) for wrong in ("0", "-3", "fast")),
                ("--arrivals 1e-300", ["--arrivals", "1000000 s"]),
                ("--traffic uniform:1:600 --beyond refuse", ["--traffic", "beyond the largest", "512"]),
                ("--traffic .", ["--traffic", '"."']),
                ("--traffic back.csv", ["back.csv:3", "time goes back"]),
                ("--traffic late.csv", ["--traffic", "1000000 s"]),
                ("--mutated-inputs copy", ["--mutated-inputs", "refuse, copy_back"]),
                ("--exec both", ["--exec", "own, shared, switch"]),
                ("--exec switch --capture-when lazy", ["--exec", "give --capture-when startup"]),
                ("--exec switch --mode whole,piecewise", ["--exec", "step in one graph: give --mode whole"]),
                ("--exec switch --mode eager", ["--exec", "step in one graph"]),
                ("--exec switch --mode best", ["--exec", "step in one graph"]),
                ("--warmup-by requests", ["--warmup-by", "give --capture-when lazy"]),
                ("--tune-sizes 1,4", ["--tune-sizes", '"1,4" would change no cell']),
                ("--split-ops linear", ["--split-ops", "--mode piecewise"]),
                ("--warmup-by request", ["--warmup-by", "capture, requests"]),
                ("--mode best,best", ["--mode", "given twice"]),
                ("--mode eager,best", ["--mode", "give whole or piecewise"]),
                ("--mode NONE,best", ["--mode", "give whole or piecewise"]),  # vLLM's word for eager
                ("--suggest --pad none", ["--pad", '"none"', "--suggest"]),
                ("--suggest --beyond split", ["--beyond", '"split"', "give eager"]),
                ("--suggest --memory engine --engine-sizes 1,600", ["--memory", "600", "--capture-sizes"]),
                ("--sizes-max 2", ["--sizes-max", "give --suggest"]),
                ("--suggest --memory much", ["--memory", '"much"', "engine"]),
                ("--suggest --memory engine", ["--memory", "--engine-sizes"]),
                ("--suggest --verify --for vlm", ["--for", 'did you mean "vllm"?']),
                ("--for vllm", ["--for", "give --suggest"]),
                ("--closed", ["--closed", '"uniform:1:4" has batches, not requests']),
                ("--prefill-seconds 1", ["--prefill-seconds", "give --closed"]),
                ("--traffic requests:1:5", ["--traffic", "has requests and no batches", "--closed"]),
                ("--traffic requests:0:5 --closed", ["--traffic", '"0"', "requests per second"]),
                ("--traffic requests:1:5 --closed --prefill-seconds -1", ["--prefill-seconds", '"-1"']),
                ("--traffic requests:1:5 --closed --arrivals 9", ["--arrivals", "no effect"]),
                ("--traffic requests:1:5 --closed --query-lengths 2", ["--query-lengths", "no effect"]),
                ("--traffic requests:1:5 --closed=0", ["--closed", '"0"']),
                ("--query-lengths 0", ["--query-lengths", '"0"']),
                ("--query-lengths 16777216", ["--query-lengths", "give smaller lengths"]),
                ("", ["--traffic", "the option is missing"])):
            given = arguments.split()
            if "--traffic" not in given and given:
                given += ["--traffic", "uniform:1:4"]
            with self.subTest(arguments):
                self.assert_refused(self.run_graphbench("ladder", "--device", "host", *given), *words)
