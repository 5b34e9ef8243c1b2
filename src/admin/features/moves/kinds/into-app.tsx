import { useTranslations } from 'use-intl'
import { useUpdateWords } from '../move-place.ts'
import { UpdateMovePlan } from '../update/update-plan.tsx'
import { UpdateResult } from '../update/update-result.tsx'
import { allSteps, type KindScreen } from './kind-screen.ts'

/** Updates of an app that was imported before. */
export const updateOfApp: KindScreen = {
  // An update is complete after its import: the user does not accept it separately.
  steps: allSteps.filter((step) => step !== 'imported'),
  useHeading(p, move) {
    const t = useTranslations('moves.update')
    return { title: t('title'), back: { to: updateOfApp.listOf({ p, a: null }, move), label: t('back') } }
  },
  Planned: UpdateMovePlan,
  Done: UpdateResult,
  useWorking(state) {
    const t = useUpdateWords('moves.update')
    const key = state === 'importing' ? 'working' : 'checking'
    return { title: t(`${key}.title`), text: t(`${key}.text`) }
  },
  canUndo: false,
  useForgetting({ state }) {
    const t = useUpdateWords('moves.update')
    return {
      title: t('forget.title'),
      message: t(state === 'accepted' ? 'forget.acceptedText' : 'forget.text'),
      action: t('forget.action'),
    }
  },
  listOf: ({ p }, { updates }) => `/${p}/-/moves/${updates}`,
}

/** Imports into an existing app. Their pages are below that app. */
export const importIntoApp: KindScreen = {
  ...updateOfApp,
  listOf: ({ p, a }) => `/${p}/${a}/-/import`,
}
