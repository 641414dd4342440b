package io.bloomguard.generation;

import java.util.Map;

/**
 * A kind of source, such as a query or another system of an application. Each bean of this type is
 * one: {@code jdbc}, {@code r2dbc}, {@code file} and {@code bean} are, and a filter that has its
 * name as its {@code source.from} reads its keys there.
 */
public interface SourceBackend {

  /** {@return the value of the property that chooses it, such as {@code elastic}} */
  String name();

  /**
   * {@return the source of one filter} Called once for each, as the application starts, before the
   * source is read. A RuntimeException stops the start.
   *
   * @param filter the filter's name
   * @param settings its {@code source.settings}, by their names; empty for none
   */
  KeySource source(String filter, Map<String, String> settings);
}
