// Exports the SDK of the Model Context Protocol. It becomes a separate file in dist, which only `stepglass mcp` loads.

export { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
export { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
export type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
export { any, array, boolean, enum as oneOf, int, number, object, record, string, union, type ZodType, type infer as Read } from "zod/v4";
