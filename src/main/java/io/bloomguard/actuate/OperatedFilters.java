package io.bloomguard.actuate;

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

  public OperatedFilters {
    all = List.copyOf(all);
  }

  /** The filter of that name, if it is configured. */
  public Optional<OperatedFilter> find(String name) {
    return all.stream().filter(filter -> filter.name().equals(name)).findFirst();
  }

  /** The names, sorted. */
  public Set<String> names() {
    return all.stream().map(OperatedFilter::name).collect(Collectors.toCollection(TreeSet::new));
  }
}
