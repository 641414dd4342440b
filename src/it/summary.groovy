// Shows what a project's tests printed and how they ended. The plugin sends a script's output to
// build.log, so the console's own stream is opened.
def console = new PrintStream(new FileOutputStream(FileDescriptor.out), true, 'UTF-8')
int operations = 0, lookups = 0
fuzzRuns = 0
new File(basedir, 'build.log').eachLine('UTF-8') { line ->
  def shown = line =~ /RESULT .*|Tests run: [^T]*$/
  if (shown.find()) {
    console.println "[INFO]   ${basedir.name}: ${shown.group()}"
  }
  def fuzz = line =~ /RESULT \w+FuzzTest.*: (\d+) operations of \d+ kinds, (\d+) lookups, 0 wrong/
  if (fuzz.find()) {
    fuzzRuns++
    operations += fuzz.group(1) as int
    lookups += fuzz.group(2) as int
  }
}
if (fuzzRuns > 0) {
  console.println "[INFO]   ${basedir.name}: RESULT all $fuzzRuns runs of the fuzz: $operations operations, " +
      "$lookups lookups, 0 wrong"
}
