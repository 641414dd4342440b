package io.bloomguard.guard;

import java.util.Map;

/**
 * The attribute of an entity whose stored form is a key of a filter.
 *
 * @param entity the entity's name, for messages
 * @param attribute the attribute, for messages: quoted, or its description
 * @param type the class of its values in Java
 * @param stored values of the attribute, each with the form that its column holds; empty if none
 *     can be compared
 * @param part whether it is one of several parts of the key
 * @param removes whether each deletion of a row is seen, and takes the key out of a filter that can
 *     remove keys
 * @param shared whether it is the id of another row, which several rows may name
 */
public record KeyedAttribute(
    String entity,
    String attribute,
    Class<?> type,
    Map<?, ?> stored,
    boolean part,
    boolean removes,
    boolean shared) {}
