package io.bloomguard.it.recipes.webflux;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

@Repository
public class Articles {

  private final JdbcClient jdbc;

  public Articles(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @BloomGuarded(filter = "articles", key = "#number")
  public Mono<Article> find(long number) {
    return Mono.fromCallable(
            () ->
                jdbc.sql("select number, name from article where number = ?")
                    .param(number)
                    .query(Article.class)
                    .optional()
                    .orElse(null))
        .subscribeOn(Schedulers.boundedElastic());
  }

  @BloomPut(filter = "articles", key = "#article.number")
  public Mono<Integer> insert(Article article) {
    return Mono.fromCallable(
            () ->
                jdbc.sql("insert into article (number, name) values (:number, :name)")
                    .paramSource(article)
                    .update())
        .subscribeOn(Schedulers.boundedElastic());
  }
}
