// An MCP server on the TypeScript SDK: `server.mjs dual|modern stdio|http`. Over HTTP it prints its address.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [era, binding] = process.argv.slice(2);

const make = () => {
    const server = new McpServer({ name: 'typescript', version: '0' });
    server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }]
    }));
    return server;
};

if (binding === 'http') {
    const handler = createMcpHandler(make, { legacy: era === 'dual' ? 'stateless' : 'reject' });
    const http = createServer(toNodeHandler(handler));
    http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}`));
} else {
    serveStdio(make, { legacy: era === 'dual' ? 'serve' : 'reject' });
}
