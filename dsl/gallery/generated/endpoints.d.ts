// Generated from registry/endpoints.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Endpoints {
    readonly redis: {
      /** Users, lists and items. */
      readonly main: Endpoint<"redis">;
    };
  }
}
