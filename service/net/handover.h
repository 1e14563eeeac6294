/* Calls on their way to workers and back, whatever protocol brought them: pieces of a body that is work to take, and
   the work after CALL_WORK. The transport suspends a call before it is handed over, and resumes it when its part is
   done, with a reply that stands or to go on. */
#pragma once

#include "net/call.h"

/* The next bytes of the body go to the handler, or, where they are work (call->body_is_work), are gathered until a job
   is worth it: the call is suspended then, and may be resumed before this returns. False: the call has its reply, and
   the handler does not know yet that it is done. */
bool handover_body(struct call *call, const char *bytes, size_t size);

/* The body is complete. CALL_DONE: the reply stands. CALL_WORK: a worker has the call; it may be resumed before this
   returns. */
enum call_next handover_end(struct call *call);
