package io.bloomguard.it.workshop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A workshop for bicycles: its customers, its repairs, its parts and what is paid. */
@SpringBootApplication
public class WorkshopApplication {

  public static void main(String[] args) {
    SpringApplication.run(WorkshopApplication.class, args);
  }
}
