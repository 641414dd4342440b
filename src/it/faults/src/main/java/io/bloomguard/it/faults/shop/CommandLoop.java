package io.bloomguard.it.faults.shop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.stereotype.Component;

/** Takes numbered commands from the harness and answers each as soon as it is done. */
@Component
public class CommandLoop {

  private final Answers answers;
  private final WebServerApplicationContext web;
  private final int harness;

  CommandLoop(
      Answers answers, WebServerApplicationContext web, @Value("${faults.harness}") int harness) {
    this.answers = answers;
    this.web = web;
    this.harness = harness;
  }

  /** Ends with the harness. */
  public void run() throws IOException {
    ExecutorService threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "command");
              thread.setDaemon(true);
              return thread;
            });
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), harness)) {
      socket.setTcpNoDelay(true);
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      PrintWriter out = new PrintWriter(socket.getOutputStream(), true, UTF_8);
      say(out, "hello " + web.getWebServer().getPort());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int space = line.indexOf(' ');
        String number = line.substring(0, space);
        String command = line.substring(space + 1);
        threads.execute(() -> say(out, number + " " + answers.answer(command)));
      }
    }
  }

  /** What a shop does at a command. */
  public interface Answers {

    /** Answers one command; never throws. */
    String answer(String line);
  }

  private static void say(PrintWriter out, String line) {
    synchronized (out) {
      out.println(line.replace('\n', ' '));
    }
  }
}
