// An MCP server on the TypeScript SDK; the first argument is what becomes of legacy clients: `serve` or `reject`.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(
    () => {
        const server = new McpServer({ name: 'typescript', version: '0' });
        server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
            content: [{ type: 'text', text: String(a + b) }]
        }));
        return server;
    },
    { legacy: process.argv[2] }
);
