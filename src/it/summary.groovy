// Shows what a project's tests printed and how they ended. The plugin sends a script's output to
// build.log, so the console's own stream is opened.
def console = new PrintStream(new FileOutputStream(FileDescriptor.out), true, 'UTF-8')
new File(basedir, 'build.log').eachLine('UTF-8') { line ->
  def shown = line =~ /RESULT .*|Tests run: [^T]*$/
  if (shown.find()) {
    console.println "[INFO]   ${basedir.name}: ${shown.group()}"
  }
}
