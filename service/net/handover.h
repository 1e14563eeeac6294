/* Hands calls of any protocol to workers and back: pieces of a body that take work, and the work after CALL_WORK. The
   transport suspends a call before it is handed over, and resumes it afterwards, with a complete reply or to go on. */
#pragma once

#include "net/call.h"

/* Passes the next bytes of the body to the handler, or, with call->body_is_work, gathers them until there are enough
   for a job: then the call is suspended, and may be resumed before this returns. False: the call has its reply, and the
   handler's done() is still to be called. */
bool handover_body(struct call *call, const char *bytes, size_t size);

/* Called when the body is complete. CALL_DONE: the reply is complete. CALL_WORK: a worker has the call, which may be
   resumed before this returns. */
enum call_next handover_end(struct call *call);
