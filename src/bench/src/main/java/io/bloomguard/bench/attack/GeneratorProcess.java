package io.bloomguard.bench.attack;

import io.bloomguard.bench.attack.KeyMix.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process of the {@link LoadGenerator}. */
public final class GeneratorProcess implements AutoCloseable {

  private final Process process;
  private final PrintStream orders;
  private final BufferedReader answers;
  private long falseAbsent;

  /** One of the mix of an attack. */
  GeneratorProcess(int port, ShopDatabase database) throws IOException {
    this(start(LoadGenerator.class, port, database));
  }

  /** One whose requests are all of a kind. */
  public GeneratorProcess(int port, Kind only) throws IOException {
    this(start(LoadGenerator.class, port, ShopDatabase.NEAR, only));
  }

  private GeneratorProcess(Process process) {
    this.process = process;
    orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
    answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  /** Starts a process of this class path, which does not outlive this one. */
  static Process start(Class<?> main, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }

  LoadFigures hot() throws IOException {
    return answer("hot");
  }

  public LoadFigures closed(double seconds) throws IOException {
    return answer("closed " + seconds);
  }

  public LoadFigures open(int rate, double seconds) throws IOException {
    return answer("open " + rate + " " + seconds);
  }

  /** Begins a flood, whose figures come at each interval. */
  void begin(Flood flood) {
    orders.println(flood.order());
  }

  /** The generator itself ends where a shop does not answer, so that this waits with a bound. */
  private LoadFigures answer(String order) throws IOException {
    orders.println(order);
    return next();
  }

  /** The next figures of what has been ordered. */
  LoadFigures next() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("The generator ended");
    }
    LoadFigures figures = LoadFigures.parse(line);
    falseAbsent += figures.falseAbsent();
    return figures;
  }

  /** All 404s so far for ids that were there. */
  long falseAbsent() {
    return falseAbsent;
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  long micros() throws IOException {
    return ProcessTime.micros(process.pid());
  }

  @Override
  public void close() throws InterruptedException {
    orders.close();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
