import { Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { Section } from '#admin/ui/section.tsx'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import { leftOutKinds } from '#shared/publication-states.ts'
import classes from './left-out.module.css'

type LeftOut = NonNullable<MovePlan['leftOut']>

/** Maximum number of names per kind that are shown without a click. */
const shownNames = 12

/** The data of the source that is not imported, because the source does not publish it. */
export function LeftOutSection({ leftOut }: { leftOut: LeftOut }) {
  const t = useTranslations('moves.plan.leftOut')
  if (leftOut.length === 0) return null
  return (
    <Section title={t('title')} description={t('text')}>
      <dl className={classes.kinds}>
        {leftOutKinds.map((kind) => {
          const parts = leftOut.filter((part) => part.kind === kind)
          if (parts.length === 0) return null
          const more = parts.slice(shownNames)
          return (
            <div key={kind}>
              <dt>{t(`kinds.${kind}`)}</dt>
              <dd>
                <Text size="sm" c="dimmed">
                  {t(`about.${kind}`)}
                </Text>
                <Names parts={parts.slice(0, shownNames)} />
                {more.length > 0 && (
                  <details>
                    <summary>{t('more', { count: more.length })}</summary>
                    <Names parts={more} />
                  </details>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </Section>
  )
}

function Names({ parts }: { parts: LeftOut }) {
  const t = useTranslations('moves.plan.leftOut')
  return (
    <ul className={classes.names}>
      {parts.map(({ name, count }) => (
        <li key={name}>
          <code>{name}</code> {count > 1 && t('count', { count })}
        </li>
      ))}
    </ul>
  )
}
