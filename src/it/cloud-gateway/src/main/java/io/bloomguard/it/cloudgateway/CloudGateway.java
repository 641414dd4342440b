package io.bloomguard.it.cloudgateway;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A gateway of Spring Cloud that ends requests for absent keys. */
@SpringBootApplication
public class CloudGateway {

  public static void main(String[] args) {
    SpringApplication.run(CloudGateway.class, args);
  }
}
