/** The path of the app or space that an invitation was for. */
export const pathOfJoined = ({ project, app }: { project: { uid: string }; app: { uid: string } | null }) =>
  `/${[project.uid, ...(app ? [app.uid] : [])].map(encodeURIComponent).join('/')}`
