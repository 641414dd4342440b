package io.bloomguard.autoconfigure.keyed.aggregate;

import io.bloomguard.annotation.BloomKey;

/** Where an aggregate's key is declared. */
@BloomKey(filter = "things")
interface Numbered {}
