import { ActionIcon, Badge, Menu, Text, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy, IconDots, IconPencil, IconTilde, IconTrash } from '@tabler/icons-react'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import type { Role } from '#shared/contract/roles.ts'
import { rightGroups, rightKey } from './right-groups.ts'
import { differing } from './rights-of-role.ts'
import classes from './roles.module.css'

interface RoleMatrixProps {
  roles: readonly Role[]
  target: Role['target']
  /** Omitted for users who may not change roles. */
  actions?: { edit(role: Role): void; duplicate(role: Role): void; remove(role: Role): void } | undefined
}

/** A table of the rights of each role: rights with descriptions as rows, roles as columns. */
export function RoleMatrix({ roles, target, actions }: RoleMatrixProps) {
  const t = useTranslations('roles')
  const names = useRoleNames(roles)
  const differences = new Map(roles.map((role) => [role.uid, differing(role)]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only with the focus.
    <section className={classes.scroll} aria-label={t('matrix')} tabIndex={0}>
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col" className={classes.corner}>
              {t('right')}
            </th>
            {roles.map((role) => (
              <th scope="col" key={role.uid} className={classes.role}>
                <div className={classes.roleName}>{names.nameOf(role.uid)}</div>
                <Text component="div" size="xs" c="dimmed" fw={400}>
                  {t('members', { count: role.members })}
                </Text>
                <div className={classes.badges}>
                  {role.builtIn && (
                    <Badge size="xs" variant="light" color="gray" tt="none">
                      {t('builtIn')}
                    </Badge>
                  )}
                  {role.isDefault && (
                    <Badge size="xs" variant="light" tt="none">
                      {t(target === 'project' ? 'isByGroups' : 'isDefault')}
                    </Badge>
                  )}
                </div>
                {actions && <RoleMenu role={role} name={names.nameOf(role.uid)} actions={actions} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rightGroups[target].map((group) => (
            <Fragment key={group.name}>
              <tr>
                <th scope="colgroup" colSpan={roles.length + 1} className={classes.group}>
                  <span>{t(`groups.${group.name}`)}</span>
                </th>
              </tr>
              {group.rights.map((right) => (
                <tr key={right}>
                  <th scope="row" className={classes.right}>
                    {t(rightKey(right, 'name'))}
                    <Text component="div" size="xs" c="dimmed" fw={400}>
                      {t(rightKey(right, 'text'))}
                    </Text>
                  </th>
                  {roles.map((role) => (
                    <td key={role.uid}>
                      <Mark
                        state={
                          differences.get(role.uid)?.has(right)
                            ? 'differs'
                            : role.rights.includes(right)
                              ? 'yes'
                              : 'no'
                        }
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Mark({ state }: { state: 'yes' | 'no' | 'differs' }) {
  const t = useTranslations('roles')
  return (
    <>
      {state === 'yes' && <IconCheck size={18} stroke={2.4} className={classes.yes} aria-hidden="true" />}
      {state === 'differs' && <IconTilde size={18} stroke={2.4} className={classes.yes} aria-hidden="true" />}
      {state === 'no' && (
        <span className={classes.no} aria-hidden="true">
          –
        </span>
      )}
      <VisuallyHidden>{t(state)}</VisuallyHidden>
    </>
  )
}

function RoleMenu({
  role,
  name,
  actions,
}: {
  role: Role
  name: string
  actions: NonNullable<RoleMatrixProps['actions']>
}) {
  const t = useTranslations('roles')
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('actionsOf', { name })}
          className={classes.menu ?? ''}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!role.builtIn && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => actions.edit(role)}>
            {t('edit')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => actions.duplicate(role)}>
          {t('duplicate')}
        </Menu.Item>
        {!role.builtIn && (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() => actions.remove(role)}
          >
            {t('delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
