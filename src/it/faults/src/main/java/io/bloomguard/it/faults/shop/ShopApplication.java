package io.bloomguard.it.faults.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A shop whose products are guarded: somebody's application, driven by the harness. */
@SpringBootApplication
public class ShopApplication {

  public static void main(String[] args) throws Exception {
    ConfigurableApplicationContext shop = SpringApplication.run(ShopApplication.class, args);
    shop.getBean(CommandLoop.class).run();
    // Who drove it is gone.
    Runtime.getRuntime().halt(0);
  }
}
