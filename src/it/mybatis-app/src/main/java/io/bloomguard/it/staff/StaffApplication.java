package io.bloomguard.it.staff;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The accounts of an organisation, its departments and what is announced to them. */
@SpringBootApplication
public class StaffApplication {

  public static void main(String[] args) {
    SpringApplication.run(StaffApplication.class, args);
  }
}
