# A suite whose tests pass, fail and are skipped, for the test of run-lit.
import lit.formats

config.name = "small"
config.test_format = lit.formats.ShTest()
config.suffixes = [".sample"]
