/// The parts of the processes' communication (`ChatelaineIPC`) that only servers need.
///
/// - ``Listener`` accepts connections; ``Worker`` is the thread that serves one.
/// - ``ReplyStream`` sends a reply while it is being written.
/// - ``DescriptorCloser`` closes what a stranger sent, without blocking other threads.
package enum ServerIPC {}
