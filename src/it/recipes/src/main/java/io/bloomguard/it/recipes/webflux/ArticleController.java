package io.bloomguard.it.recipes.webflux;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

@RestController
public class ArticleController {

  private final Articles articles;

  public ArticleController(Articles articles) {
    this.articles = articles;
  }

  @GetMapping("/articles/{number}")
  public Mono<Article> find(@PathVariable long number) {
    return articles
        .find(number)
        .switchIfEmpty(Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND)));
  }

  @PostMapping("/articles")
  public Mono<Void> insert(@RequestBody Article article) {
    return articles.insert(article).then();
  }
}
