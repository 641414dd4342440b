package io.bloomguard.autoconfigure.internal.properties;

import io.bloomguard.web.WebRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The server's decisions for proxies and gateways, at /v1/authorise.
 *
 * @param trustedPeers The addresses or networks of proxies, besides this machine, whose headers
 *     X-Original-URI, X-Original-Method, X-Forwarded-Uri and X-Forwarded-Method are believed.
 * @param deniedStatus The status for an absent key, 403 or 404; without a value 403 to a proxy that
 *     sends X-Original-URI, and 404 to others.
 * @param rules Which path variable is a key of which filter.
 */
public record GatewayProperties(
    @DefaultValue List<String> trustedPeers,
    @Nullable Integer deniedStatus,
    @DefaultValue List<WebRule> rules) {

  /**
   * Copies of the lists.
   *
   * @param trustedPeers addresses or networks
   * @param deniedStatus 403, 404 or null
   * @param rules the rules
   */
  public GatewayProperties {
    trustedPeers = List.copyOf(trustedPeers);
    rules = BloomguardProperties.Web.complete("bloomguard.gateway.rules", rules);
  }
}
