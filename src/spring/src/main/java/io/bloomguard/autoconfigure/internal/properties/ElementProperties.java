package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.web.WebRule;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The settings of the elements of a map and of a list, for the annotation processor alone: it
 * describes them to IDEs, and leaves out what is below {@code Map} and {@code List}. Never bound.
 *
 * @param filter A value of bloomguard.filters.
 * @param rule An element of bloomguard.web.rules.
 * @param gatewayRule An element of bloomguard.gateway.rules.
 */
@ConfigurationProperties("bloomguard")
record ElementProperties(
    @Name("filters[*]") @NestedConfigurationProperty FilterProperties filter,
    @Name("web.rules[#]") @NestedConfigurationProperty WebRule rule,
    @Name("gateway.rules[#]") @NestedConfigurationProperty WebRule gatewayRule) {}
