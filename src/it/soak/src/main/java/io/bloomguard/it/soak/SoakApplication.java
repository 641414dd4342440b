package io.bloomguard.it.soak;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Somebody's application: lookups and writes of things, in every way that the guard has. */
@SpringBootApplication
public class SoakApplication {

  public static void main(String[] arguments) throws IOException {
    SpringApplication.run(SoakApplication.class, arguments);
    // Ends with the driver, however that ends.
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  /** The threads on which asynchronous loads end. */
  @Bean(destroyMethod = "shutdownNow")
  ScheduledExecutorService loads() {
    return Executors.newScheduledThreadPool(4, task -> new Thread(task, "soak-load"));
  }
}
