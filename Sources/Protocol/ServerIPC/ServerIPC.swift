/// The parts of the processes' communication (`ChatelaineIPC`) that only servers need.
///
/// - ``Listener`` accepts connections.
/// - ``ReplyStream`` sends a reply while it is being written.
/// - ``DescriptorCloser`` closes what a stranger sent, without blocking other threads.
/// - ``ForkServer`` is a process that forks a worker for each order; ``ForkServerClient`` gives the orders.
package enum ServerIPC {}
