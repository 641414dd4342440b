package io.bloomguard.it.faults.feed;

import io.bloomguard.it.faults.shop.CommandLoop;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** A shop that only reads: other programs write its rows, and feeds of changes tell it so. */
@SpringBootApplication
@Import(CommandLoop.class)
public class FeedApplication {

  public static void main(String[] args) throws Exception {
    SpringApplication.run(FeedApplication.class, args).getBean(CommandLoop.class).run();
    // Who drove it is gone.
    Runtime.getRuntime().halt(0);
  }
}
