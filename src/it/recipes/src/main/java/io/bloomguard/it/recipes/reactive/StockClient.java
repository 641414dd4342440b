package io.bloomguard.it.recipes.reactive;

import io.bloomguard.generation.KeySource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The stocks of a warehouse, asked without blocking: 7 at once, 9 when the test says so. */
@Component
public class StockClient {

  private final Map<Long, Stock> stocks = new ConcurrentHashMap<>(Map.of(7L, new Stock(7, 70)));
  private final Sinks.One<Stock> late = Sinks.one();
  private final AtomicInteger asked = new AtomicInteger();

  public Mono<Stock> find(long number) {
    asked.incrementAndGet();
    return number == 9 ? late.asMono() : Mono.justOrEmpty(stocks.get(number));
  }

  public Mono<Void> insert(Stock stock) {
    return Mono.fromRunnable(() -> stocks.put(stock.number(), stock));
  }

  public int asked() {
    return asked.get();
  }

  public void answer() {
    late.tryEmitValue(new Stock(9, 90)).orThrow();
  }

  @Bean
  static KeySource stockNumbers() {
    return keys -> {
      keys.accept(7L);
      keys.accept(9L);
    };
  }
}
