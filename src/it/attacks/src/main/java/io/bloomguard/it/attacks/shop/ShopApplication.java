package io.bloomguard.it.attacks.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;

/** A shop on Tomcat with things in H2, whose filters hold a share of false positives each. */
@SpringBootApplication
public class ShopApplication {

  /** What the line begins with that says the port. */
  public static final String PORT = "SHOP ";

  /** Rows: the things with the identifiers from 1 on. */
  public static final int THINGS = 100_000;

  public static void main(String[] arguments) throws Exception {
    SpringApplication.run(ShopApplication.class, arguments);
    // Whoever started the shop ends it with a line.
    System.in.read();
    System.exit(0);
  }

  @EventListener
  void listens(WebServerInitializedEvent event) {
    System.out.println(PORT + event.getWebServer().getPort());
  }
}
