package io.bloomguard.server;

import io.bloomguard.guard.StartRefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.security.web.util.matcher.IpAddressMatcher;

/** The proxies whose headers are believed: this machine, and those of the settings. */
final class TrustedPeers {

  private final List<IpAddressMatcher> networks;

  /**
   * @param peers addresses, or networks such as {@code 10.0.0.0/8}
   */
  TrustedPeers(List<String> peers) {
    this.networks = peers.stream().map(TrustedPeers::network).toList();
  }

  private static IpAddressMatcher network(String peer) {
    try {
      return new IpAddressMatcher(peer);
    } catch (IllegalArgumentException e) {
      throw new StartRefusedException(
          "bloomguard.gateway.trusted-peers has '" + peer + "', which is no address or network",
          "Write an address such as 10.0.0.7, or a network such as 10.0.0.0/8.");
    }
  }

  /** Whether the connection comes from one of them, whatever a header says. */
  boolean trusts(HttpServletRequest request) {
    String peer = LocalWrites.peer(request);
    return peer != null
        && (LocalWrites.isLoopback(peer)
            || networks.stream().anyMatch(network -> network.matches(peer)));
  }
}
