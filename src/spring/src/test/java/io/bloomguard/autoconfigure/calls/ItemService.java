package io.bloomguard.autoconfigure.calls;

import java.util.List;
import reactor.core.publisher.Mono;

/** The application's own code, found in its class file alone. */
class ItemService {

  private final Items items;

  ItemService(Items items) {
    this.items = items;
  }

  Mono<Void> clean(ReactiveItems reactive, Items.Item old) {
    return reactive.delete(old);
  }

  Mono<Void> clean(KeyedReactiveItems keyed, long old) {
    return keyed.save(new KeyedReactiveItems.Row(old + 1, "new")).then(keyed.deleteById(old));
  }

  void clean(List<Items.Item> old) {
    old.forEach(items::delete);
  }
}
