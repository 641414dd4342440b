package io.bloomguard.generation;

import io.bloomguard.filter.FilterShape;

/**
 * A place in which filters are kept, such as Redis or another system of an application. Each bean
 * of this type is one, and a filter that has its name as its {@code backend} is kept there.
 */
public interface FilterBackend {

  /** {@return the value of the {@code backend} property that chooses it, such as {@code mongo}} */
  String name();

  /**
   * {@return the rules of the settings of a filter here, empty for none} The first one that a
   * filter breaks stops the start. Each row has what is refused, why, and the remedy:
   *
   * <pre>{@code
   * rebuild.at-fill set: a filter of this backend is never rebuilt
   * > Leave it out, or use the backend 'redis'.
   *
   * layout not blocked: this backend has the layout 'blocked' alone
   * > Leave $.layout out.
   * }</pre>
   *
   * <p>{@code docs/backends.md} describes the form.
   */
  default String rules() {
    return "";
  }

  /**
   * {@return the dimensions of a filter here} They are the given ones, unless something other than
   * its settings decides them.
   *
   * @param filter the filter's name
   * @param sized its dimensions by its settings
   */
  default FilterShape shape(String filter, FilterShape sized) {
    return sized;
  }

  /**
   * {@return the store of one filter, a {@link GenerationStore} if a source can fill it} Called
   * once for each filter, as the application starts; the store is closed with the application. A
   * RuntimeException stops the start.
   *
   * @param order the filter
   */
  FilterStore store(StoreOrder order);
}
