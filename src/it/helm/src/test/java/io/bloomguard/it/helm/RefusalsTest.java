package io.bloomguard.it.helm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are refused: the message names the value and the rule. */
class RefusalsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          filters: {Order_Items: {}}                                       | filters.Order_Items is no name of a filter: use lower-case words joined by dashes
          replicaCount: 2                                                  | replicaCount is 2, but must be 1 while a filter is local to each pod (products)
          {replicaCount: 2, filters: {a: {}, b: {}}}                       | replicaCount is 2, but must be 1 while a filter is local to each pod (a, b)
          {replicaCount: 2, backend: redis, redis: {host: r}, filters: {a: {backend: local}, b: {}}} | replicaCount is 2, but must be 1 while a filter is local to each pod (a)
          autoscaling: {enabled: true}                                     | autoscaling.maxReplicas is 6, but must be 1 while
          {backend: redis, redis: {host: r}, autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 2}} | autoscaling.maxReplicas is 2, but must be at least autoscaling.minReplicas, which is 3
          backend: redis                                                   | one of redis.host, redis.sentinel.nodes and redis.cluster.nodes must be set where backend, or a filter's, is redis; set are: none
          filters: {a: {backend: redis}}                                   | must be set where backend, or a filter's, is redis; set are: none
          {backend: redis, redis: {host: r, cluster: {nodes: ["r:1"]}}}    | set are: redis.host, redis.cluster.nodes
          {backend: redis, redis: {sentinel: {nodes: ["r:1"]}}}            | redis.sentinel.master is empty, but must name the master
          redis: {host: r}                                                 | redis.host is set, but no filter uses Redis
          database: {existingSecret: s}                                    | database.url is empty, but must be a JDBC URL where database.existingSecret is set
          filters: {a: {source: {jdbc: {query: q}}}}                       | database.url is empty, but must be a JDBC URL where filters.a.source.jdbc is set
          config: {bloomguard: {backend: redis}}                           | config.bloomguard.backend is set, but belongs into the value backend
          config: {bloomguard: {filters: {a: {}}}}                         | config.bloomguard.filters is set, but belongs into the value filters
          config: {bloomguard: {hash-secret: x}}                           | config.bloomguard.hash-secret is set, but belongs into the value hashSecret.existingSecret
          config: {spring: {data: {redis: {password: x}}}}                 | config.spring.data.redis.password is set, but config is no place for a secret
          config: {spring: {datasource: {password: x}}}                    | config.spring.datasource.password is set, but config is no place for a secret
          config: {spring: {data: {redis: {sentinel: {password: x}}}}}     | config.spring.data.redis.sentinel.password is set, but config is no place for a secret
          config: {spring: {security: {user: {password: x}}}}              | config.spring.security.user.password is set, but config is no place for a secret
          config: {management: {server: {port: 1}}}                        | config.management.server.port is set, but belongs into the value management.port
          config: {server: {port: 1}}                                      | config.server.port is set, but the container always listens on 8080
          ingress: {enabled: true}                                         | ingress.hosts is empty, but must name a host
          """)
  void valuesThatDoNotGoTogether(String values, String message) {
    assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          backend: memcached                          | /backend       | 'local', 'redis'
          filters: {a: {backend: disk}}               | /filters/a/backend | 'local', 'redis'
          replicaCount: -1                            | /replicaCount  | minimum: got -1, want 0
          replicaCount: two                           | /replicaCount  | got string, want integer
          replicas: 2                                 | ``             | additional properties 'replicas' not allowed
          redis: {hosts: r}                           | /redis         | additional properties 'hosts' not allowed
          redis: {sentinel: {nodes: [r]}}             | /redis/sentinel/nodes/0 | does not match pattern
          database: {url: "postgresql://db/shop"}     | /database/url  | does not match pattern
          management: {port: 8080}                    | /management/port | 'not' failed
          management: {port: 80}                      | /management/port | minimum: got 80, want 1,024
          monitoring: {scrape: operator}              | /monitoring/scrape | 'none', 'podMonitor', 'serviceMonitor'
          image: {digest: latest}                     | /image/digest  | does not match pattern
          runAsUser: 0                                | /runAsUser     | minimum: got 0, want 1
          extraEnv: [{value: x}]                      | /extraEnv/0    | missing property 'name'
          ingress: {hosts: [guard.example]}           | /ingress/hosts/0 | got string, want object
          podLabels: {a: 1}                           | /podLabels/a   | got number, want string
          """)
  void valuesThatTheSchemaDoesNotAllow(String values, String value, String rule) {
    assertThatThrownBy(() -> Chart.render(values))
        .hasMessageContaining("'" + value + "'")
        .hasMessageContaining(rule);
  }
}
