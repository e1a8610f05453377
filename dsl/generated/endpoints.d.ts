// Generated from registry/endpoints.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Endpoints {
    readonly http: {
      readonly web_default: Endpoint<"http">;
    };
    readonly redis: {
      /** Users, lists and items; data generated for development. */
      readonly redis_default: Endpoint<"redis">;
    };
  }
}
