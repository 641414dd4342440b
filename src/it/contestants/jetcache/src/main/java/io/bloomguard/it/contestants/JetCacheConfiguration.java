package io.bloomguard.it.contestants;

import com.alicp.jetcache.anno.config.EnableMethodCache;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableMethodCache(basePackages = "io.bloomguard.it.contestants")
class JetCacheConfiguration {}
