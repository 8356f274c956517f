// Loaded before a server that would listen for the whole network: it listens on the loopback device instead, where there
// is room, and prints its address.
const net = require('node:net');

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (port, ...rest) {
    this.once('listening', () => console.log(`http://127.0.0.1:${this.address().port}`));
    return listen.call(this, { port: 0, host: '127.0.0.1' }, rest.at(-1));
};
