import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle, IconOctagon } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { type MoveProblem, moveProblems } from '#shared/contract/move-plans.ts'
import classes from '../moves.module.css'

const looks = {
  stops: { color: 'red', icon: IconOctagon },
  warning: { color: 'yellow', icon: IconAlertTriangle },
  note: { color: 'gray', icon: IconInfoCircle },
} as const

/** The models whose names can replace uids in problems. */
interface Named {
  models: readonly { uid: string; name: string }[]
}

/** The problems of a plan, most severe first. Problems with the same code are one entry. */
export function MovePlanProblems({ problems, plan }: { problems: readonly MoveProblem[]; plan: Named }) {
  const t = useTranslations('moves.plan.problems')
  const byCode = new Map<MoveProblem['code'], MoveProblem[]>()
  for (const problem of problems) byCode.set(problem.code, [...(byCode.get(problem.code) ?? []), problem])
  return (['stops', 'warning', 'note'] as const).map((kind) => {
    const codes = [...byCode.keys()].filter((code) => moveProblems[code] === kind)
    const { color, icon: KindIcon } = looks[kind]
    if (codes.length === 0) return null
    return (
      <Alert
        key={kind}
        className={classes.alert ?? ''}
        classNames={{ title: classes.alertTitle ?? '' }}
        color={color}
        variant="light"
        icon={<KindIcon aria-hidden="true" />}
        title={t(`kinds.${kind}`)}
      >
        <ul className={classes.problemList}>
          {codes.map((code) => (
            <Problem key={code} problems={byCode.get(code) ?? []} plan={plan} />
          ))}
        </ul>
      </Alert>
    )
  })
}

function Problem({ problems, plan }: { problems: readonly MoveProblem[]; plan: Named }) {
  const t = useTranslations('moves.plan.problems')
  const [first] = problems
  if (!first) return null
  const count = problems.reduce((sum, problem) => sum + problem.count, 0)
  const places = problems.filter(({ path, examples }) => path !== '' || examples.length > 0)
  return (
    <li className={classes.problem}>
      {t(`codes.${first.code}`, { count, places: problems.length })}
      {places.length > 0 && (
        <details>
          <summary>{t('details')}</summary>
          <ul className={classes.places}>
            {places.map(({ path, count: here, examples, params }) => (
              <li key={`${path} ${JSON.stringify(params ?? {})}`} className={classes.place}>
                {path !== '' && <code>{path}</code>} {path !== '' && here > 1 && t('times', { count: here })}{' '}
                {params?.to !== undefined && `→ ${params.to}`}
                {params?.models !== undefined && `→ ${params.models}`}
                {examples.length > 0 && (
                  <Text span size="xs" c="dimmed" className={classes.examples}>
                    {examples.map((example) => titleOf(plan, example)).join(', ')}
                  </Text>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

/** Returns the name of a model for its uid. Other examples stay unchanged. */
const titleOf = ({ models }: Named, example: string) =>
  models.find(({ uid }) => uid === example)?.name ?? example
