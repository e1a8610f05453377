#pragma once

#include <string>

#include "net/address.h"
#include "net/stream.h"
#include "plan/registry/registry.h"

namespace millrace::stores {

/// Where an endpoint of the registry listens.
[[nodiscard]] net::Address address_of(const plan::EndpointInfo& endpoint);

/// How it is connected to; its files are relative to `root`.
[[nodiscard]] net::ConnectOptions connect_options_of(const plan::EndpointInfo& endpoint,
                                                     const std::string& root);

}  // namespace millrace::stores
