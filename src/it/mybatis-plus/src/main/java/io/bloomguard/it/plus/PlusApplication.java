package io.bloomguard.it.plus;

import org.mybatis.spring.annotation.MapperScan;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Users, written in every way that MyBatis-Plus has. */
@SpringBootApplication
@MapperScan(
    basePackageClasses = PlusApplication.class,
    markerInterface = com.baomidou.mybatisplus.core.mapper.Mapper.class)
public class PlusApplication {

  public static void main(String[] args) {
    SpringApplication.run(PlusApplication.class, args);
  }
}
