package io.bloomguard.actuate.internal;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * All filters of an application as an operator sees them.
 *
 * @param all in the order of their configuration
 */
public record OperatedFilters(List<OperatedFilter> all) {

  /**
   * A copy of the list.
   *
   * @param all in the order of their configuration
   */
  public OperatedFilters {
    all = List.copyOf(all);
  }

  /**
   * {@return the filter of that name, if it is configured}
   *
   * @param name the filter's name
   */
  public Optional<OperatedFilter> find(String name) {
    return all.stream().filter(filter -> filter.name().equals(name)).findFirst();
  }

  /** {@return the names, sorted} */
  public Set<String> names() {
    return all.stream().map(OperatedFilter::name).collect(Collectors.toCollection(TreeSet::new));
  }
}
