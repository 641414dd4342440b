package io.bloomguard.autoconfigure.calls;

import java.util.List;

/** The application's own code, found in its class file alone. */
class ItemService {

  private final Items items;

  ItemService(Items items) {
    this.items = items;
  }

  void clean(List<Items.Item> old) {
    old.forEach(items::delete);
  }
}
