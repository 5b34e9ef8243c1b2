import type { VisitorActor } from '#server/access/actor.ts'
import type { CallOrigin } from '#server/access/call-origin.ts'
import type { Caller } from '#server/access/caller.ts'
import { noGrants } from '#server/access/grants.ts'
import { findPlace } from '#server/access/membership.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Returns the caller for a visitor who sends a form, with the name of the form. It has no rights and enters no apps
 * (403), so only the endpoint of the form can use it. `origin` null: several visitors whose submissions are stored
 * together.
 */
export const visitorCaller = (formName: string, origin: CallOrigin | null): Caller<VisitorActor> => {
  const actor: VisitorActor = { kind: 'visitor', name: formName }
  return {
    kind: 'visitor',
    actor,
    origin,
    withoutRight: 'Forbidden',
    async admit({ tx, place }) {
      if ('scope' in place ? place.appId !== undefined : place.app !== undefined)
        throw new AppError('Forbidden')
      return { actor, membership: { ...(await findPlace(tx, place)), grants: noGrants } }
    },
  }
}
