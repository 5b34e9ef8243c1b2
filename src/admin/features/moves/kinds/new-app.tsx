import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { Imported } from '../imported.tsx'
import { useMoveName } from '../move-name.ts'
import { allSteps, type KindScreen } from './kind-screen.ts'

/** Migrations that create one app. */
export const newApp: KindScreen = {
  steps: allSteps,
  useHeading(p, move) {
    const t = useTranslations('moves')
    return { title: useMoveName()(move), back: { to: `/${p}/-/moves`, label: t('back') } }
  },
  Planned(props) {
    return <Planned {...props} text={useTranslations('moves.planned')('text')} />
  },
  Done: Imported,
  useWorking(state) {
    const t = useTranslations('moves.working')
    return { title: t(`${state}.title`), text: t(`${state}.text`) }
  },
  canUndo: true,
  useForgetting({ state, source }) {
    const t = useTranslations('moves.forget')
    const words = useTranslations('moves.update')
    const accepted = source?.kind === 'newt' ? words('forgetOrigin') : t('acceptedText')
    return {
      title: t('title'),
      message: state === 'accepted' ? accepted : t('text'),
      action: t('action'),
    }
  },
  listOf: ({ p }) => `/${p}/-/moves`,
}

/** Migrations that create several apps, each with its own plan. */
export const severalApps: KindScreen = {
  ...newApp,
  Planned(props) {
    const t = useTranslations('moves.planned')
    return <Planned {...props} text={t('several', { count: props.move.apps.length })} />
  },
}

function Planned({ p, move, text }: { p: string; move: Move; text: string }) {
  const t = useTranslations('moves.planned')
  return (
    <Section title={t('title')} description={move.state === 'undone' ? t('again') : text}>
      <Button component={Link} {...{ to: `/${p}/-/moves/${move._id}/plan` }}>
        {t('action')}
      </Button>
    </Section>
  )
}
