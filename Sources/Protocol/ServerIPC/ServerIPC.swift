/// What only those who answer need of the way in which the processes talk (`ChatelaineIPC`).
///
/// - ``Listener`` takes connections in, and ``Worker`` is the thread that serves one.
/// - ``ReplyStream`` sends a reply while it is being written.
/// - ``DescriptorCloser`` close what a stranger sent, and hold up nobody.
package enum ServerIPC {}
