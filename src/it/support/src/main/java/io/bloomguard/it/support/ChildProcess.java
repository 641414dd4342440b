package io.bloomguard.it.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process that is told what to do by lines and answers by lines. */
public final class ChildProcess implements AutoCloseable {

  private final Process process;
  private final Path log;
  private final PrintStream commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /**
   * Starts a JVM with this one's class path.
   *
   * @param name of its log
   * @param answer what the lines begin with that are answers
   */
  public ChildProcess(
      String name, String answer, List<String> jvm, Class<?> main, List<String> arguments)
      throws IOException {
    this(name, answer, java(jvm, main, arguments));
  }

  private static List<String> java(List<String> jvm, Class<?> main, List<String> arguments) {
    List<String> command = Processes.jvm(jvm.toArray(String[]::new));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** The same for any program. */
  public ChildProcess(String name, String answer, List<String> command) throws IOException {
    log = Processes.folder().resolve(name + ".log");
    process = Processes.start(new ProcessBuilder(command).redirectErrorStream(true));
    commands = new PrintStream(process.getOutputStream(), true);
    Thread reader = new Thread(() -> read(answer), name);
    reader.setDaemon(true);
    reader.start();
  }

  private void read(String answer) {
    try (BufferedReader output = process.inputReader();
        PrintStream copy = new PrintStream(Files.newOutputStream(log), true)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        copy.println(line);
        if (line.startsWith(answer)) {
          answers.add(line.substring(answer.length()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      answers.add("ended; see " + log);
    }
  }

  /** Writes a line to it. */
  public void tell(String command) {
    commands.println(command);
  }

  /** The next answer. */
  public String answer() throws InterruptedException {
    String answer = answers.poll(4, TimeUnit.MINUTES);
    if (answer == null) {
      throw new IllegalStateException("No answer; see " + log);
    }
    return answer;
  }

  @Override
  public void close() {
    commands.println("end");
    commands.close();
    if (!Processes.awaitEnd(process)) {
      throw new IllegalStateException("The process of " + log + " had to be killed");
    }
  }
}
