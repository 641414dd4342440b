package io.bloomguard.it.recipes.reactive;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

@RestController
public class StockController {

  private final BloomGuard<Stock> guard;
  private final StockClient stocks;

  public StockController(BloomGuards guards, StockClient stocks) {
    this.guard = guards.guard("stock", Stock.class);
    this.stocks = stocks;
  }

  @GetMapping("/stock/{number}")
  public Mono<Stock> find(@PathVariable long number) {
    return Mono.fromCompletionStage(
            () -> guard.getAsync(number, () -> stocks.find(number).toFuture()))
        .switchIfEmpty(Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND)));
  }

  @PostMapping("/stock")
  public Mono<Void> insert(@RequestBody Stock stock) {
    return Mono.fromCompletionStage(() -> guard.putAsync(stock.number()))
        .then(stocks.insert(stock))
        .then(Mono.fromCompletionStage(() -> guard.evictAsync(stock.number())));
  }
}
