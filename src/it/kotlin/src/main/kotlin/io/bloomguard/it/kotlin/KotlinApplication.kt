package io.bloomguard.it.kotlin

import io.bloomguard.generation.KeySource
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.context.annotation.Bean

@SpringBootApplication
class KotlinApplication {

  /** Products 1 to 100. */
  @Bean
  fun productKeys() = KeySource { sink -> (1L..100L).forEach { sink.accept(it) } }
}

fun main(args: Array<String>) {
  runApplication<KotlinApplication>(*args)
}
