package io.bloomguard.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The Bloomguard server. */
@SpringBootApplication
public class BloomguardServer {

  public static void main(String[] args) {
    SpringApplication.run(BloomguardServer.class, args);
  }
}
